import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawTextProblem } from './raw-text.ts'

test('ordinary directives are accepted', () => {
  for (const text of [
    'reverse_proxy 10.0.0.1:80',
    'handle /api/* {\n\treverse_proxy a:1\n}\nrespond "important: {host}"',
    'header X-Style "a{b}"\n# a comment with } in it\nrespond ok',
    'respond `{"json": true}` 200',
  ])
    assert.equal(rawTextProblem(text), undefined, text)
})

test('directives that read files or the environment, or leave the site, are refused before Caddy sees them', () => {
  for (const [text, problem] of [
    ['import /etc/passwd', /import/],
    ['"import" /etc/passwd', /import/],
    ['respond x\\\nimport /etc/passwd', /import/],
    ['imp\\\nort /etc/passwd', /import/],
    ['handle {\n\timport ../*\n}', /import/],
    ['respond {$SECRET}', /environment/],
    ['respond {env.SECRET}', /environment/],
    ['respond {file./etc/passwd}', /files/],
    ['respond <<END\nx\nEND', /<</],
    ['respond ok\n}\nhttp://other.test {\nrespond no', /closing brace too many|at the end/],
    ['handle {\nrespond ok', /does not end/],
    ['respond ok }', /alone/],
    ['respond "ok', /quotation/],
    ['(snippet) {\n}', /snippets/],
    ['respond \0', /control/],
  ] as const)
    assert.match(rawTextProblem(text) ?? '', problem, text)
})
