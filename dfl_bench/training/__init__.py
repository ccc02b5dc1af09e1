"""The torch part that trained methods share: a batch of seeds, its predictor, samplers and fitted losses."""
