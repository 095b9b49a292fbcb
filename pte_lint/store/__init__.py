"""Results of many artifacts as tables in Parquet files, and what is summed up of them."""
