import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  createVisitor,
  freePort,
  openAuthenticator,
  testOlderData,
  type OlderData,
  type Visitor,
  type SavedAuthenticator,
} from '@hearth/testing'

/** Facts that `older-data/make.ts` records beside the answers. */
interface More {
  readonly recoveryCodes: string[]
  readonly passkey: SavedAuthenticator
}

/** A recovery code is used up, so each opening takes another one. */
let used = 0

async function signInOtherwise({ url }: Visitor, { more, signIn }: OlderData): Promise<void> {
  const { recoveryCodes, passkey } = more as More
  const json = { username: signIn.json.username, recovery_code: recoveryCodes[used++] }
  await createVisitor(url).demand('POST', '/api/session', { json })
  const visitor = createVisitor(url)
  const headers = { origin: passkey.origin }
  const { options } = await visitor.demand('POST', '/api/passkeys/login/start', { headers, json: {} })
  const credential = openAuthenticator({ ...passkey, counter: passkey.counter + used }).get(options)
  await visitor.demand('POST', '/api/passkeys/login/finish', { headers, json: { credential } })
  assert.equal((await visitor.send('GET', '/api/session')).status, 200)
}

testOlderData('sites', join(import.meta.dirname, 'older-data'), {
  environment: async () => ({
    CADDY_HTTP_PORT: String(await freePort()),
    CADDY_HTTPS_PORT: String(await freePort()),
  }),
  also: signInOtherwise,
})
