import { setTimeout as wait } from 'node:timers/promises'
import type { OlderData, Visitor } from '@hearth/testing'

/** Signs in as a person does: reads the page, and takes longer than a program. */
export async function signInByForm(visitor: Visitor, { path, json }: OlderData['signIn']): Promise<void> {
  const { text } = await visitor.send('GET', path)
  const captcha_token = /name="captcha_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await wait(1100)
  await visitor.demand('POST', path, { json: { ...json, captcha_token, honeypot: '' } })
}
