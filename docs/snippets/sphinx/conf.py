project = "A slow query"
html_static_path = ["_static"]
html_js_files = [("queryscope/element/queryscope-viewer.js", {"type": "module"})]
