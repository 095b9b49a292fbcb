"""What a finding claims, and about which runtime."""
