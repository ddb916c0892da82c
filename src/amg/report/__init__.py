"""What people read about a study: the claims page, captions, and generated parts of the docs."""
