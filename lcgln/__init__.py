"""LCGLN: a loss for decision-focused learning, convex in the prediction."""
