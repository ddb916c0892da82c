"""The look of the claims page: screen wide or narrow, light or dark, and paper."""

CSS = """
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1b1f24; --faint: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --link: #0550ae; --good: #116329; --fair: #7d4e00; --bad: #a40e26; --open: #4a4f57;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181d; --text: #e6edf3; --faint: #a3adb8; --line: #3b444e; --panel: #1d232a;
    --link: #79b8ff; --good: #6fd08c; --fair: #e3b341; --bad: #ff9a94; --open: #b6bfc8;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; max-width: 68rem; padding: 1rem 1.25rem 3rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: break-word;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .75rem; }
h3 { font-size: 1.1rem; line-height: 1.35; margin: 0 0 .5rem; }
h4 { font-size: 1rem; margin: 1rem 0 .5rem; }
section { border-top: 1px solid var(--line); margin-top: 2.25rem; padding-top: 1.5rem; }
section > h3 { margin-top: 1.75rem; }
p, ul { margin: .5rem 0; }
ul { padding-left: 1.25rem; }
section > ul > li { margin: .4rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px;
}
main:focus { outline: none; }
code, pre {
  font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
code { overflow-wrap: break-word; }
pre {
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  padding: .75rem 1rem; white-space: pre-wrap;
}
.skip { position: absolute; left: -100rem; }
.skip:focus {
  left: .5rem; top: .5rem; padding: .5rem 1rem; background: var(--ground); z-index: 1;
}
.hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
nav ul, .counts {
  display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none;
  padding: 0; margin: .75rem 0;
}
nav a { display: inline-block; padding: .2rem 0; }
.counts { gap: .5rem; }

.verdict {
  display: inline-block; border: 1px solid currentColor; border-radius: 1rem; white-space: nowrap;
  padding: 0 .65rem; font-size: .875rem; font-weight: 600; line-height: 1.6; color: var(--open);
}
.verdict.reproduced { color: var(--good); }
.verdict.reproduced-with-a-caveat { color: var(--fair); }
.verdict.not-reproduced { color: var(--bad); }

table { border-collapse: collapse; width: 100%; margin: 1rem 0 1.5rem; font-size: .9375rem; }
caption { text-align: left; color: var(--faint); padding: .25rem 0; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; }
thead th { border-bottom: 2px solid var(--line); }
tbody th { font-weight: 500; }
tbody tr { border-bottom: 1px solid var(--line); }
.interval { display: block; color: var(--faint); font-size: .93em; }
td a { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
tbody th.number, .jobs tbody th { font-weight: 400; overflow-wrap: anywhere; }

article {
  border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1.25rem 0;
}
article:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.claim { border-left: 5px solid var(--open); }
.claim.reproduced { border-left-color: var(--good); }
.claim.reproduced-with-a-caveat { border-left-color: var(--fair); }
.claim.not-reproduced { border-left-color: var(--bad); }
dl { margin: .75rem 0 0; }
dl > div { display: grid; grid-template-columns: 12rem 1fr; gap: 0 1rem; padding: .2rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
figure { margin: .75rem 0; }
img { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
figcaption { margin-top: .75rem; }
summary { cursor: pointer; padding: .35rem 0; color: var(--link); }
footer { border-top: 1px solid var(--line); margin-top: 2.5rem; color: var(--faint); }

@media (max-width: 44rem) {
  body { padding: .75rem .9rem 2rem; }
  h1 { font-size: 1.5rem; }
  h2 { font-size: 1.25rem; }
  nav a { padding: .35rem 0; }
  article { padding: .85rem .9rem; }
  dl > div { display: block; padding: .3rem 0; }
  dt { font-size: .875rem; }
  /* A row becomes a small card, each cell after the head of its column. */
  table, caption, tbody, tr, tbody th, td { display: block; width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { padding: .5rem 0; }
  tbody th, td, td.number { padding: .1rem 0; text-align: left; }
  td.empty { display: none; }
  tbody th { font-weight: 600; }
  td:not(.empty) { display: grid; grid-template-columns: 7rem 1fr; gap: .5rem; }
  td::before { content: attr(data-label); color: var(--faint); font-size: .875rem; }
  td > div { min-width: 0; }
}
@media print {
  :root {
    --ground: #fff; --text: #000; --faint: #444; --line: #bbb; --panel: #fff; --link: #000;
    --good: #0b4a1e; --fair: #5c3a00; --bad: #7d0a1d; --open: #333;
  }
  body { max-width: none; padding: 0; font-size: 9pt; line-height: 1.35; }
  h1 { font-size: 16pt; }
  h2 { font-size: 13pt; }
  h3 { font-size: 10.5pt; }
  table, .verdict, dt { font-size: 8.5pt; }
  article { padding: .5rem .75rem; margin: .6rem 0; }
  dl > div { grid-template-columns: 9rem 1fr; padding: 0; }
  nav, .skip { display: none; }
  h2, h3, caption, thead { break-after: avoid; }
  article.claim, tr, img { break-inside: avoid; }
  img { max-height: 15cm; width: auto; margin: 0 auto; }
  details::details-content { content-visibility: visible; block-size: auto; }
  pre { font-size: 8pt; columns: 2; }
}
"""
