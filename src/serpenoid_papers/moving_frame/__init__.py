"""The moving frame paper (Kvalvik, Gulbrandsen, Hettervik, IMECE2019-10434): one file a result."""
