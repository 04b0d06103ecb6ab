import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto'

/** Deviations of an authenticator, or of the browser before it, that a test asks for. */
export interface Deviation {
  /** Of the page, as the browser knows it. */
  readonly origin?: string
  readonly challenge?: string
  readonly rpId?: string
  readonly type?: string
  readonly isUserVerified?: boolean
  readonly userHandle?: string
  /** The number the signature says, in place of one more than the last. */
  readonly counter?: number
  /** Changes one bit of the signature. */
  readonly isForged?: boolean
}

/** As much of the server's options as an authenticator reads. */
interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}
interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
}

/** A passkey in software: ECDSA on P-256, one credential, no attestation. Answers as `PublicKeyCredential.toJSON()` does. */
export interface SoftwareAuthenticator {
  readonly credentialId: string
  create(options: object, deviation?: Deviation): object
  get(options: object, deviation?: Deviation): object
  /** The same key in another device, with the counter it has now. */
  clone(): SoftwareAuthenticator
  /** Everything it consists of, for another process. */
  save(): SavedAuthenticator
}

/** An authenticator as JSON. */
export interface SavedAuthenticator {
  readonly key: ReturnType<typeof toJwk>
  readonly id: string
  readonly origin: string
  readonly userHandle: string
  readonly counter: number
}

interface State {
  readonly key: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly id: Buffer
  readonly origin: string
  userHandle: string
  counter: number
  readonly counts: boolean
}

/**
 * Creates a passkey in software for pages of one origin.
 *
 * @param counts whether it counts its uses; synced passkeys do not, and always say 0
 */
export function createAuthenticator(origin: string, { counts = true } = {}): SoftwareAuthenticator {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return fromState({ key, id: randomBytes(32), origin, userHandle: '', counter: 0, counts })
}

const toJwk = (key: KeyObject) => key.export({ format: 'jwk' })

/** The authenticator that was saved. */
export function openAuthenticator({ key, id, ...saved }: SavedAuthenticator): SoftwareAuthenticator {
  const privateKey = createPrivateKey({ key, format: 'jwk' })
  const pair = { privateKey, publicKey: createPublicKey({ key, format: 'jwk' }) }
  return fromState({ ...saved, key: pair, id: Buffer.from(id, 'base64url'), counts: true })
}

function fromState(state: State): SoftwareAuthenticator {
  const credentialId = state.id.toString('base64url')
  const shared = { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} }
  return {
    credentialId,
    create(options, deviation = {}) {
      const { challenge, rp, user } = options as CreationOptions
      state.userHandle = user.id
      const clientDataJSON = clientData(state, { type: 'webauthn.create', challenge }, deviation)
      const authData = Buffer.concat([authenticatorData(state, rp.id, { ...deviation, isNew: true }), attested(state)])
      const attestationObject = map(
        [text('fmt'), text('none')],
        [text('attStmt'), map()],
        [text('authData'), bytes(authData)],
      )
      return {
        ...shared,
        authenticatorAttachment: 'platform',
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal', 'hybrid'],
          authenticatorData: authData.toString('base64url'),
        },
      }
    },
    get(options, deviation = {}) {
      const { challenge, rpId } = options as RequestOptions
      if (state.counts) state.counter += 1
      const clientDataJSON = clientData(state, { type: 'webauthn.get', challenge }, deviation)
      const authData = authenticatorData(state, rpId, deviation)
      const signed = Buffer.concat([authData, createHash('sha256').update(clientDataJSON).digest()])
      const signature = sign('sha256', signed, state.key.privateKey)
      if (deviation.isForged === true)
        signature.writeUInt8(signature.readUInt8(signature.length - 1) ^ 1, signature.length - 1)
      return {
        ...shared,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: deviation.userHandle ?? state.userHandle,
        },
      }
    },
    clone: () => fromState({ ...state }),
    save: () => ({
      key: toJwk(state.key.privateKey),
      id: credentialId,
      origin: state.origin,
      userHandle: state.userHandle,
      counter: state.counter,
    }),
  }
}

function clientData(state: State, given: { type: string; challenge: string }, deviation: Deviation): Buffer {
  const { type = given.type, challenge = given.challenge, origin = state.origin } = deviation
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function authenticatorData(state: State, rpId: string, deviation: Deviation & { isNew?: boolean }): Buffer {
  const isPresent = 0x01
  const isVerified = deviation.isUserVerified === false ? 0 : 0x04
  // One that does not count is kept by a provider.
  const isSynced = state.counts ? 0 : 0x18
  const hasKey = deviation.isNew === true ? 0x40 : 0
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(deviation.counter ?? state.counter)
  const hash = createHash('sha256')
    .update(deviation.rpId ?? rpId)
    .digest()
  return Buffer.concat([hash, Buffer.from([isPresent | isVerified | isSynced | hasKey]), counter])
}

/** The new key: a nameless kind of authenticator, the credential's id, and the public key as COSE has it. */
function attested({ id, key }: State): Buffer {
  const { x = '', y = '' } = key.publicKey.export({ format: 'jwk' })
  const length = Buffer.alloc(2)
  length.writeUInt16BE(id.length)
  const cose = map(
    [Buffer.from([1]), Buffer.from([2])],
    [Buffer.from([3]), Buffer.from([0x26])],
    [Buffer.from([0x20]), Buffer.from([1])],
    [Buffer.from([0x21]), bytes(Buffer.from(x, 'base64url'))],
    [Buffer.from([0x22]), bytes(Buffer.from(y, 'base64url'))],
  )
  return Buffer.concat([Buffer.alloc(16), length, id, cose])
}

/** CBOR (RFC 8949), as much as is needed: the head of a value, then strings and small maps. */
function head(kind: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(kind << 5) | size])
  return size < 256 ? Buffer.from([(kind << 5) | 24, size]) : Buffer.from([(kind << 5) | 25, size >> 8, size & 255])
}
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (...entries: [Buffer, Buffer][]): Buffer => Buffer.concat([head(5, entries.length), ...entries.flat()])
