import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultTemplates, parseTemplate, renderTemplate, type NameValues } from './name-template.ts'

const values: NameValues = {
  title: 'Night drive',
  artist: 'Third Floor',
  album: '',
  channel: 'Third Floor',
  date: '2024-05-17',
  year: '2024',
  bpm: '124',
  key: 'Am',
  camelot: '8A',
  quality: 'max',
  platform: 'youtube',
  id: '0a1b2c3d',
}
const render = (template: string, more: Partial<NameValues> = {}) =>
  renderTemplate(parseTemplate(template), { ...values, ...more })

test('fields are filled in, and a group goes when a field in it is empty', () => {
  assert.equal(render('{camelot} {bpm} {artist} - {title}'), '8A 124 Third Floor - Night drive')
  assert.equal(render('{title}[ ({album}, {year})][ - {key}]'), 'Night drive - Am')
  assert.equal(render(defaultTemplates.audio), 'Night drive_124bpm')
  assert.equal(render(defaultTemplates.audio, { bpm: '' }), 'Night drive')
  assert.equal(render(defaultTemplates.video), 'Night drive (maxQuality)')
})

for (const [template, message] of [
  ['', /empty/],
  [' ', /empty/],
  ['{titel}', /unknown field \{titel\}.*title, artist/],
  ['{title', /a \{ without/],
  ['title}', /a \} without/],
  ['[{bpm}', /a \[ without/],
  ['[[{bpm}]]', /a \[ without/],
  ['{title}[bpm]', /no field in \[bpm\]/],
  ['../{title}', /must not contain \//],
  ['{title}\\', /must not contain \\/],
  ['{title}\u0000', /control characters/],
  ['{constructor}', /unknown field/],
  ['x'.repeat(201), /at most 200/],
] as const)
  test(`the template ${JSON.stringify(template).slice(0, 30)} is refused with a reason`, () => {
    assert.throws(() => parseTemplate(template), message)
  })
