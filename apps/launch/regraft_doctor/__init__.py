"""What regraft-doctor does."""
