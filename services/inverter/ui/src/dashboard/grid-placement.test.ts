import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, constantFrom, integer, property, uniqueArray } from 'fast-check'
import { arrange, compact, place, type PlacedWidget, show, stepTo } from './grid-placement.ts'

const ids = ['battery', 'health', 'devices', 'dispatch', 'pv-power', 'grid-power'] as const
const widget = (
  id: PlacedWidget['id'],
  [x, y, w, h]: [number, number, number, number],
  visible = true,
): PlacedWidget => ({
  id,
  x,
  y,
  w,
  h,
  visible,
})
const slots = (widgets: readonly PlacedWidget[]) =>
  Object.fromEntries(widgets.map(({ id, x, y, w, h }) => [id, [x, y, w, h].join(' ')]))

const column = [widget('battery', [0, 0, 6, 2]), widget('health', [0, 2, 6, 3]), widget('devices', [0, 5, 6, 1])]

test('widgets move up into free space, and hidden ones take none', () => {
  const loose = [
    widget('battery', [0, 4, 6, 2]),
    widget('health', [0, 9, 6, 3]),
    widget('devices', [0, 0, 12, 3], false),
  ]
  assert.deepEqual(slots(compact(loose)), { battery: '0 0 6 2', health: '0 2 6 3', devices: '0 0 12 3' })
})

test('a widget dragged past half of its neighbour swaps places with it', () => {
  const minSize = { w: 2, h: 1 }
  assert.deepEqual(slots(place(column, 'battery', { slot: { y: 1 }, minSize })), slots(column))
  assert.deepEqual(slots(place(column, 'battery', { slot: { y: 2 }, minSize })), {
    battery: '0 3 6 2',
    health: '0 0 6 3',
    devices: '0 5 6 1',
  })
  assert.deepEqual(slots(place(column, 'devices', { slot: { y: 0 }, minSize })), {
    battery: '0 1 6 2',
    health: '0 3 6 3',
    devices: '0 0 6 1',
  })
})

test('a key press moves a widget by one step, except at the edge of the grid', () => {
  assert.equal(slots(stepTo(column, 'battery', 'down'))['battery'], '0 3 6 2')
  assert.equal(slots(stepTo(column, 'devices', 'up'))['devices'], '0 2 6 1')
  assert.equal(slots(stepTo(column, 'health', 'right'))['health'], '1 2 6 3')
  assert.deepEqual(slots(stepTo(column, 'battery', 'up')), slots(column))
  assert.deepEqual(slots(stepTo(column, 'battery', 'left')), slots(column))
})

test('a widget shown again is placed last, and hiding one closes the gap', () => {
  const hidden = show(column, 'battery', false)
  assert.equal(slots(hidden)['health'], '0 0 6 3')
  assert.equal(slots(show(hidden, 'battery', true))['battery'], '0 4 6 2')
})

test('a layout saved before a widget existed hides that widget', () => {
  const own = [...column, widget('dispatch', [6, 0, 6, 2])]
  assert.equal(
    arrange(undefined, own).every(({ visible }) => visible),
    true,
  )
  assert.equal(arrange(column, own).find(({ id }) => id === 'dispatch')?.visible, false)
})

test('widgets never leave the grid or overlap', () => {
  const number = integer({ min: -30, max: 60 })
  const start = uniqueArray(constantFrom(...ids), { minLength: 1 }).map((names) =>
    compact(names.map((id, index) => widget(id, [(index * 5) % 9, index, 3, 2]))),
  )
  check(
    property(start, number, number, number, number, (widgets, x, y, w, h) => {
      const id = widgets[0]!.id
      const next = place(widgets, id, { slot: { x, y, w, h }, minSize: { w: 2, h: 2 } })
      assert.equal(next.length, widgets.length)
      for (const one of next) {
        assert.ok(one.x >= 0 && one.y >= 0 && one.x + one.w <= 12 && one.h <= 100)
        for (const other of next)
          assert.ok(
            one === other ||
              one.x + one.w <= other.x ||
              other.x + other.w <= one.x ||
              one.y + one.h <= other.y ||
              other.y + other.h <= one.y,
          )
      }
    }),
  )
})
