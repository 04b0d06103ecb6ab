import { createHmac } from 'node:crypto'
import type { Envelope, Message } from '../message.ts'
import type { JsonPost } from './post-json.ts'

/** A webhook with its secret. */
export interface WebhookTarget {
  readonly url: string
  readonly secret: string
}

/** Returns the signed request of a webhook, as Standard Webhooks has it. */
export function webhookPost(
  { url, secret }: WebhookTarget,
  envelope: Envelope,
  { service, now }: { readonly service: string; readonly now: number },
): JsonPost {
  const id = `msg_${envelope.id}`
  const timestamp = String(Math.floor(now / 1000))
  const body = JSON.stringify(bodyOf(envelope, service))
  const signature = signWebhook({ id, timestamp, body }, secret)
  return {
    url,
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
    body,
  }
}

/** Returns the value of `webhook-signature`: HMAC-SHA256 over id, timestamp and body with the key after `whsec_`. */
export function signWebhook(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string },
  secret: string,
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

function bodyOf({ messages }: Envelope, service: string): object {
  const [first] = messages
  if (first === undefined) throw new Error('an envelope holds no message')
  if (messages.length === 1) return { type: first.class, timestamp: isoOf(first), data: dataOf(first, service) }
  const last = messages.at(-1) ?? first
  return { type: 'digest', timestamp: isoOf(last), data: { service, messages: messages.map((each) => dataOf(each)) } }
}

function dataOf(message: Message, service?: string): object {
  const { class: name, severity, state, title, text, link } = message
  return {
    ...(service === undefined ? { type: name, timestamp: isoOf(message) } : { service }),
    severity,
    state,
    title,
    text,
    link,
  }
}

const isoOf = ({ at }: Message): string => new Date(at).toISOString()
