"""Pictures of a program: placement, memory plan, bytes, findings.

What a picture shows is data (`marks`, `lanes`, `rows`, `placement`, `memory`, gathered in `scene`),
derived from the same methods and analyses as the rules. How it looks is apart from that: `html`
renders the report, `memory_svg` and `placement_svg` single pictures, `graph_dot` and `graph_json`
the graph.
"""
