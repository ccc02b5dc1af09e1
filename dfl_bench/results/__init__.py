"""From records to tables: boards, statistics and published numbers. No process is started here."""
