"""The lab as an agent sees it: methods, views, SQL tables, the prompt, and the clients that call them."""
