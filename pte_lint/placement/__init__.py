"""Host and device: targets of delegates, boundary copies, and every way to mix memory up."""
