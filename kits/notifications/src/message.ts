/** Severities, least first. */
export const severities = ['info', 'warning', 'critical'] as const
/** Severity of an event. */
export type Severity = (typeof severities)[number]

/** Class of events that a service reports; destinations choose among them. */
export interface EventClass {
  /** Stable name in rules and messages, such as `site.down`. */
  readonly id: string
  /** Heading under which pages list it. */
  readonly group: string
  /** Name on pages. */
  readonly label: string
  readonly severity: Severity
  /** A class of which there are many: a destination gets it only when its rules name it. */
  readonly isOnRequest?: boolean
}

/** A class of the test message, which no destination chooses. */
export const testClass = 'test'

/** Text of an event, for people. */
export interface EventText {
  /** One line without a full stop. */
  readonly title: string
  /** Plain sentences; may be empty. */
  readonly text: string
  /** Path of the page about it; becomes a link when `PUBLIC_URL` is set. */
  readonly path?: string
}

/** Something that happened once. `class` is the id of an event class. */
export interface NewNotification extends EventText {
  readonly class: string
  /** Identifies the event where several processes report it; a destination gets it once. */
  readonly key?: string
}

/** A condition of a subject, such as a site's id. */
export interface Condition extends EventText {
  readonly subject: string
}

/** The begin or the end of a condition. */
export type ConditionChange = NewNotification & Condition

/** A message as stored and sent. */
export interface Message {
  readonly class: string
  readonly severity: Severity
  /** A condition began or ended, or something happened once. */
  readonly state: 'began' | 'ended' | 'happened'
  readonly title: string
  readonly text: string
  readonly link: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** One message, or several that a destination gets as one. */
export interface Envelope {
  /** The same for each attempt to send it, so that a receiver can recognise a repetition. */
  readonly id: string
  /** At least one, oldest first. */
  readonly messages: readonly Message[]
}

/** Returns true when the severity is at least the other one. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least)
}

/** Returns the highest severity of the messages. */
export function highestSeverity(messages: readonly Message[]): Severity {
  const found = messages.map(({ severity }) => severities.indexOf(severity))
  return severities[Math.max(0, ...found)] ?? 'info'
}
