import type { Envelope, Message } from '../message.ts'

/** A message as people read it. */
export interface MessageText {
  readonly title: string
  readonly text: string
  readonly link: string | undefined
}

/** Maximum length of a text, characters; ntfy takes 4096 bytes. */
const maxText = 3000

/** Returns title and text of what is sent; several messages become a list. */
export function textOf({ messages }: Envelope, service: string): MessageText {
  const [first] = messages
  if (first === undefined) throw new Error('an envelope holds no message')
  const link = messages.map((message) => message.link).find((each) => each !== null) ?? undefined
  if (messages.length === 1) return { title: first.title, text: short(first.text || first.title), link }
  const title = `${messages.length} messages from Hearth ${service}`
  return { title, text: short(messages.map(lineOf).join('\n')), link }
}

function lineOf({ at, title, text }: Message): string {
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return `${time} UTC  ${title}${text === '' ? '' : `: ${text}`}`
}

const short = (text: string): string => (text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`)
