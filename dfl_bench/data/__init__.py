"""Files and generators of data: arrays come out, no problem is known here."""
