/** The style sheet of the page inside the tunnel, in the colours of the other pages. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --back: #f7f5f1; --card: #fff; --text: #221f1b; --dim: #69635a; --line: #e6e2da;
  --strong: #9a4521; --on-strong: #fff; --good: #1f6b3b; --bad: #a8231c; --note: #fbe6dd;
  --received: #1257a8; --sent: #b4620a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #171512; --card: #211f1b; --text: #ebe8e3; --dim: #aca69c; --line: #35322c;
    --strong: #f3a98c; --on-strong: #2a130a; --good: #7fce9b; --bad: #ff9d93; --note: #3a2620;
    --received: #7fb4f5; --sent: #f0a955;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 1rem; display: grid; gap: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
.brand { color: var(--dim); font-size: .9rem; margin: 0; }
details form { margin-top: .5rem; }
p { margin: 0 0 .5rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; min-width: 0; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
ul { list-style: none; margin: 0; padding: 0; }
li { padding: .75rem 0; border-top: 1px solid var(--line); }
li:first-child { border-top: 0; padding-top: 0; }
li:last-child { padding-bottom: 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.dim { color: var(--dim); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: baseline; }
.message { background: var(--note); border-radius: .75rem; padding: .75rem 1rem; margin: 0; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; }
button { font: inherit; min-height: 2.75rem; padding: .4rem 1rem; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--strong); background: transparent; color: var(--strong); }
button.main { background: var(--strong); color: var(--on-strong); }
input { font: inherit; width: 100%; min-height: 2.75rem; padding: .4rem .75rem; border-radius: .5rem;
  border: 1px solid var(--dim); background: var(--card); color: var(--text); }
label { display: block; margin: 0 0 .75rem; }
a { color: var(--strong); }
summary { cursor: pointer; color: var(--strong); min-height: 2.75rem; display: flex; align-items: center; }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
svg { width: 100%; height: 6rem; display: block; margin-top: .75rem; }
.received { fill: var(--received); }
.sent { fill: var(--sent); }
.base { stroke: var(--line); }
.key::before { content: ''; display: inline-block; width: .75rem; height: .75rem; border-radius: .15rem; margin-right: .4rem; }
.key-received::before { background: var(--received); }
.key-sent::before { background: var(--sent); }
`
