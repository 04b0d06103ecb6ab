import type { OutboundPolicy } from '@hearth/outbound'
import type { Target } from '../destinations/target.ts'
import type { Envelope } from '../message.ts'
import { sendEmail } from './email.ts'
import type { Outcome } from './outcome.ts'
import { postJson, type PostContext } from './post-json.ts'
import { gotifyPost, ntfyPost } from './push.ts'
import { webhookPost } from './webhook.ts'

/** Context of sending, the same for all destinations. */
export interface SendContext extends PostContext {
  /** Name of the service after "Hearth". */
  readonly service: string
  /** Decides which mail servers may be reached. */
  readonly mailPolicy: OutboundPolicy
}

/** Sends an envelope to a destination once. Never throws. */
export async function send(target: Target, envelope: Envelope, context: SendContext): Promise<Outcome> {
  const { service } = context
  switch (target.kind) {
    case 'webhook':
      return postJson(webhookPost(target, envelope, { service, now: context.now() }), context)
    case 'ntfy':
      return postJson(ntfyPost(target, envelope, service), context)
    case 'gotify':
      return postJson(gotifyPost(target, envelope, service), context)
    case 'email':
      return sendEmail(target, envelope, context)
  }
}
