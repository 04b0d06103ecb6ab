import type { Workbench } from '../api.ts'

/** What a person does in the workbench: parts, cue points, grid, and how parts are exported. */
export type Content = Pick<Workbench, 'parts' | 'cues' | 'grid' | 'export'>
export type Part = Content['parts'][number]
export type Cue = Content['cues'][number]
export type Loop = NonNullable<Part['loop']>
/** One end of a part. */
export type End = 'start' | 'end'

/** A change of the session. Times are seconds. */
export type Edit =
  | { type: 'add-part'; id: string; start: number; end: number; loop?: Loop | null }
  | { type: 'move-end'; id: string; end: End; to: number }
  | { type: 'place-part'; id: string; start: number; end: number }
  | { type: 'move-part'; id: string; to: number }
  | { type: 'split-part'; id: string; newId: string; at: number }
  | { type: 'change-part'; id: string; values: Partial<Pick<Part, 'name' | 'fade_in' | 'fade_out'>> }
  | { type: 'remove-part'; id: string }
  | { type: 'add-cue'; id: string; at: number }
  | { type: 'change-cue'; id: string; values: Partial<Pick<Cue, 'name' | 'at'>> }
  | { type: 'remove-cue'; id: string }
  | { type: 'set-grid'; values: Partial<Content['grid']> }
  | { type: 'set-export'; values: Partial<Content['export']> }

export type Input =
  | Edit
  /** `gesture` joins the steps of one drag, or of one typing, into one that is undone at once. */
  | { type: 'edit'; edit: Edit; gesture: string }
  | { type: 'undo' }
  | { type: 'redo' }
  | { type: 'load'; content: Content }

/** The session with what was before it, and what was undone. */
export interface Session {
  readonly duration: number
  readonly content: Content
  readonly past: readonly Content[]
  readonly future: readonly Content[]
  readonly gesture: string | undefined
}

/** Bounds that the server has, too. */
export const [maxParts, maxCues] = [200, 100]
/** Shortest part, seconds. */
export const minPart = 0.01
const maxUndo = 200

/** Creates a session that was just loaded: there is nothing to undo. */
export const openSession = (content: Content, duration: number): Session => ({
  duration,
  content,
  past: [],
  future: [],
  gesture: undefined,
})

/** Returns the session after an input; the same one when the input changes nothing. */
export function reduce(session: Session, input: Input): Session {
  if (input.type === 'undo') return travel(session, 'past')
  if (input.type === 'redo') return travel(session, 'future')
  if (input.type === 'load') return openSession(input.content, session.duration)
  return input.type === 'edit' ? advance(session, input.edit, input.gesture) : advance(session, input, undefined)
}

function advance(session: Session, edit: Edit, gesture: string | undefined): Session {
  const content = apply(session.content, edit, session.duration)
  if (content === session.content) return session
  const goesOn = gesture !== undefined && gesture === session.gesture
  const past = goesOn ? session.past : [...session.past, session.content].slice(-maxUndo)
  return { ...session, content, past, future: [], gesture }
}

function travel(session: Session, to: 'past' | 'future'): Session {
  const { past, future, content } = session
  const next = to === 'past' ? past.at(-1) : future[0]
  if (next === undefined) return session
  const moved =
    to === 'past'
      ? { past: past.slice(0, -1), future: [content, ...future] }
      : { past: [...past, content], future: future.slice(1) }
  return { ...session, ...moved, content: next, gesture: undefined }
}

function apply(content: Content, edit: Edit, duration: number): Content {
  switch (edit.type) {
    case 'add-part':
      return addPart(content, edit, duration)
    case 'move-end':
      return changePart(content, edit.id, (part) => movedEnd(part, edit, duration))
    case 'place-part':
      return changePart(content, edit.id, (part) => placed(part, edit, duration))
    case 'move-part':
      return changePart(content, edit.id, (part) => movedPart(part, edit.to, duration))
    case 'split-part':
      return splitPart(content, edit)
    case 'change-part':
      return changePart(content, edit.id, (part) => withFades({ ...part, ...edit.values }))
    case 'remove-part':
      return { ...content, parts: content.parts.filter(({ id }) => id !== edit.id) }
    case 'set-grid':
      return { ...content, grid: { ...content.grid, ...edit.values } }
    case 'set-export':
      return { ...content, export: { ...content.export, ...edit.values } }
    case 'add-cue':
    case 'change-cue':
    case 'remove-cue':
      return applyToCues(content, edit, duration)
  }
}

type CueEdit = Extract<Edit, { type: 'add-cue' | 'change-cue' | 'remove-cue' }>

function applyToCues(content: Content, edit: CueEdit, duration: number): Content {
  const { cues } = content
  if (edit.type === 'remove-cue') return { ...content, cues: cues.filter(({ id }) => id !== edit.id) }
  if (edit.type === 'add-cue') {
    if (cues.length >= maxCues) return content
    return { ...content, cues: inOrder([...cues, { id: edit.id, name: '', at: inside(edit.at, duration) }]) }
  }
  const changed = cues.map((cue) => (cue.id === edit.id ? changedCue(cue, edit.values, duration) : cue))
  return { ...content, cues: inOrder(changed) }
}

const changedCue = (cue: Cue, { name = cue.name, at = cue.at }: Partial<Cue>, duration: number): Cue => ({
  id: cue.id,
  name,
  at: inside(at, duration),
})

const inOrder = (cues: Cue[]): Cue[] => cues.toSorted((a, b) => a.at - b.at)

function addPart(content: Content, edit: Extract<Edit, { type: 'add-part' }>, duration: number): Content {
  const [from, to] = [Math.min(edit.start, edit.end), Math.max(edit.start, edit.end)]
  const [start, end] = [inside(from, duration), inside(to, duration)]
  if (content.parts.length >= maxParts || end - start < minPart) return content
  const part = { id: edit.id, name: '', start, end, fade_in: 0, fade_out: 0, loop: edit.loop ?? null }
  return { ...content, parts: byStart([...content.parts, part]) }
}

const byStart = (parts: Part[]): Part[] => parts.toSorted((a, b) => a.start - b.start || a.end - b.end)

function changePart(content: Content, id: string, change: (part: Part) => Part): Content {
  const before = content.parts.find((part) => part.id === id)
  const after = before === undefined ? undefined : change(before)
  if (after === before || after === undefined) return content
  return { ...content, parts: byStart(content.parts.map((part) => (part === before ? after : part))) }
}

/** A part with an end elsewhere. */
const movedEnd = (part: Part, { end, to }: { end: End; to: number }, duration: number): Part =>
  placed(part, { ...part, [end]: to }, duration)

/** A part with both ends elsewhere, in whatever order they are. It is no loop any more. */
function placed(part: Part, ends: { start: number; end: number }, duration: number): Part {
  const start = inside(Math.min(ends.start, ends.end), duration)
  const end = inside(Math.max(ends.start, ends.end), duration)
  const isSame = start === part.start && end === part.end
  return isSame || end - start < minPart ? part : withFades({ ...part, start, end, loop: null })
}

/** A part that begins elsewhere, as long as before. */
function movedPart(part: Part, to: number, duration: number): Part {
  const length = part.end - part.start
  const start = inside(Math.min(to, duration - length), duration)
  return start === part.start ? part : { ...part, start, end: micro(start + length) }
}

function splitPart(content: Content, { id, newId, at }: Extract<Edit, { type: 'split-part' }>): Content {
  const part = content.parts.find((one) => one.id === id)
  const isInside = part !== undefined && at - part.start >= minPart && part.end - at >= minPart
  if (!isInside || content.parts.length >= maxParts) return content
  const cut = micro(at)
  const first = withFades({ ...part, end: cut, fade_out: 0, loop: null })
  const second = withFades({ ...part, id: newId, start: cut, fade_in: 0, loop: null })
  return { ...content, parts: byStart(content.parts.flatMap((one) => (one === part ? [first, second] : [one]))) }
}

/** A part whose fades fit into it. */
function withFades(part: Part): Part {
  const length = part.end - part.start
  const fade_in = micro(Math.min(Math.max(0, part.fade_in), length))
  const fade_out = Math.floor(Math.min(Math.max(0, part.fade_out), length - fade_in) * 1e6) / 1e6
  return { ...part, fade_in, fade_out }
}

const inside = (seconds: number, duration: number): number => micro(Math.min(Math.max(0, seconds), duration))

/** Rounds to microseconds, less than a sample. */
const micro = (seconds: number): number => Math.round(seconds * 1e6) / 1e6
