import { useWindowEvent } from '@mantine/hooks'
import { useKeys, type KeyHelp } from '../keyboard/keys.tsx'
import type { WorkbenchContext, Edits } from './use-edits.ts'

/** The keys of the workbench, for the help. */
export const workbenchKeys: readonly KeyHelp[] = [
  ['Space', 'Play or pause'],
  ['← →', 'Back or forward one beat; one second without beats'],
  ['Shift ← →', 'Back or forward 5 seconds'],
  ['Home / End', 'To the beginning or the end'],
  ['i / o', 'Start or end the part here'],
  ['n', 'New part here'],
  ['s', 'Split the part here'],
  [', / .', 'Move the selected part back or forward a beat or a bar; a tenth of a second when it snaps to nothing'],
  ['Delete', 'Delete the selected part'],
  ['[ / ]', 'Previous or next part'],
  ['Enter', 'Play the selected part'],
  ['Esc', 'Select no part'],
  ['l', 'Loop the selected part while playing'],
  ['b', 'Snap to nothing, beats or bars'],
  ['c', 'Add a cue point here'],
  ['1 – 9', 'Jump to a cue point'],
  ['a', 'Switch between original and stems'],
  ['+ / −', 'Zoom in or out'],
  ['0', 'Show all of it'],
  ['f', 'Zoom to the selected part'],
  ['PageUp / PageDown', 'Scroll the waveform'],
  ['Ctrl Z', 'Undo'],
  ['Ctrl Shift Z', 'Redo'],
  ['?', 'Show these keys'],
]

const skip = 5

/** Binds the keys of the workbench. */
export function useWorkbenchKeys(
  { session, deck, wave, selected, select, duration }: WorkbenchContext,
  edits: Edits,
  on: { toggleLoop: () => void; switchSound: () => void; help: () => void },
): void {
  const part = session.content.parts.find(({ id }) => id === selected)
  const cues = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [String(index + 1), () => edits.jumpTo(index + 1)]),
  )
  useKeys({
    ...cues,
    ' ': () => deck?.toggle(),
    Home: () => edits.seek(0),
    End: () => edits.seek(duration),
    i: edits.markIn,
    o: edits.markOut,
    n: edits.addHere,
    s: edits.split,
    ',': () => edits.moveSelected(-1),
    '.': () => edits.moveSelected(1),
    Delete: edits.removeSelected,
    Backspace: edits.removeSelected,
    '[': () => edits.selectNext(-1),
    ']': () => edits.selectNext(1),
    Enter: () => (part === undefined ? false : edits.play(part)),
    Escape: () => select(undefined),
    l: on.toggleLoop,
    b: edits.cycleSnap,
    c: edits.addCue,
    a: on.switchSound,
    '+': () => wave?.zoom(2),
    '=': () => wave?.zoom(2),
    '-': () => wave?.zoom(0.5),
    0: () => wave?.fit(),
    f: () => part !== undefined && wave?.frameOn(part.start, part.end),
    PageUp: () => wave?.scrollPages(-0.8),
    PageDown: () => wave?.scrollPages(0.8),
    '?': on.help,
  })
  useKeys({
    ArrowLeft: ({ shiftKey }) => (shiftKey ? edits.skip(-skip) : edits.stepBeat(-1)),
    ArrowRight: ({ shiftKey }) => (shiftKey ? edits.skip(skip) : edits.stepBeat(1)),
  })
  useUndoKeys(session)
}

/** Ctrl Z and Ctrl Shift Z, or Ctrl Y, everywhere but where text is typed, which has an undo by itself. */
function useUndoKeys({ dispatch }: WorkbenchContext['session']): void {
  useWindowEvent('keydown', (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey
    const key = event.key.toLowerCase()
    if (!isCommand || (key !== 'z' && key !== 'y') || event.defaultPrevented) return
    const isTyping = event.target instanceof Element && event.target.closest('input[type="text"], textarea') !== null
    if (isTyping || document.querySelector('[role="dialog"]') !== null) return
    event.preventDefault()
    dispatch({ type: key === 'y' || event.shiftKey ? 'redo' : 'undo' })
  })
}
