import type { TargetOf } from '../destinations/target.ts'
import { highestSeverity, type Envelope, type Severity } from '../message.ts'
import { textOf } from './message-text.ts'
import type { JsonPost } from './post-json.ts'

/** ntfy's priorities, 1 to 5. */
const ntfyPriority: Readonly<Record<Severity, number>> = { info: 3, warning: 4, critical: 5 }
/** Gotify's priorities, 0 to 10; clients make a sound from 4 and insist from 8. */
const gotifyPriority: Readonly<Record<Severity, number>> = { info: 4, warning: 6, critical: 9 }

/** Returns the request that publishes to an ntfy topic. */
export function ntfyPost({ server, topic, token }: TargetOf<'ntfy'>, envelope: Envelope, service: string): JsonPost {
  const { title, text, link } = textOf(envelope, service)
  const priority = ntfyPriority[highestSeverity(envelope.messages)]
  return {
    url: server,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    body: JSON.stringify({
      topic,
      title,
      message: text,
      priority,
      tags: [`hearth-${service.toLowerCase()}`],
      click: link,
    }),
  }
}

/** Returns the request that creates a Gotify message. */
export function gotifyPost({ server, token }: TargetOf<'gotify'>, envelope: Envelope, service: string): JsonPost {
  const { title, text, link } = textOf(envelope, service)
  const priority = gotifyPriority[highestSeverity(envelope.messages)]
  const extras = link === undefined ? undefined : { 'client::notification': { click: { url: link } } }
  return {
    url: `${server.replace(/\/+$/, '')}/message`,
    headers: { 'x-gotify-key': token },
    body: JSON.stringify({ title, message: text, priority, extras }),
  }
}
