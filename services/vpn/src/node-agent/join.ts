import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError, withDataDirectory } from '@hearth/runtime'
import { createCertificateRequest } from '../nodes/certificates.ts'
import { parseJoinToken } from '../nodes/join-token.ts'
import { JoinAnswer, linkPaths } from '../nodes/link-schema.ts'
import { ControlLink, ControlRefused, fetchAuthority } from './control-link.ts'
import { hasIdentity, type Identity, writeIdentity } from './identity.ts'

/** A host that is to become a node. */
export interface Joining {
  readonly dataDirectory: string
  /** Address of the service for nodes. */
  readonly url: string
  /** The join token; a secret. */
  readonly token: string
  /** Version of Hearth on this host. */
  readonly version: string
  /** An identity that the host has already is given up. */
  readonly isReplaced: boolean
}

/** Makes this host a node of the service at an address. Throws an `OperatorError` that says what to do when that cannot be. */
export async function joinService(joining: Joining): Promise<Identity> {
  // The token is used up when the answer comes, so what could keep the identity from being written is tried before.
  checkDirectory(joining)
  return withDataDirectory(joining.dataDirectory, () => becomeNode(joining))
}

async function becomeNode({ dataDirectory, url, token, version, isReplaced }: Joining): Promise<Identity> {
  const address = parseAddress(url)
  const parts = parseJoinToken(token)
  if (parts === undefined)
    throw new OperatorError('--token-file: this is no join token, or not the whole of it; copy it again')
  const authority = await fetchAuthority(address, parts.fingerprint).catch(unreachable(url))
  if (authority === undefined)
    throw new OperatorError(
      `${url} is not the service that made the token: its certificate is another one. Check the address; if it is right, somebody else answers there. Nothing was sent`,
    )
  const { request, key } = await createCertificateRequest()
  const link = new ControlLink({ url: address.origin, authority })
  const body = { token: parts.secret, certificate_request: request, version }
  const answer = await link
    .send(linkPaths.join, body, { answer: JoinAnswer })
    .catch(unreachable(url))
    .finally(() => link.close())
  const identity = { url: address.origin, authority, key, ...answer }
  if (!(await writeIdentity(dataDirectory, identity, isReplaced))) throw joinedAlready(dataDirectory)
  return identity
}

function parseAddress(text: string): URL {
  const url = URL.parse(text)
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '' && url.pathname === '/'
  if (!isPlain) throw new OperatorError('URL: must be an address such as https://vpn.example.org:8110')
  return url
}

function checkDirectory({ dataDirectory: directory, isReplaced }: Joining): void {
  if (existsSync(join(directory, 'vpn.db')))
    throw new OperatorError(`DATA_DIR: ${directory} holds the data of a VPN service; name another folder for the node`)
  if (hasIdentity(directory) && !isReplaced) throw joinedAlready(directory)
}

const joinedAlready = (directory: string) =>
  new OperatorError(`DATA_DIR: ${directory} holds the identity of a node already; --replace gives it up`)

const unreachable = (url: string) => (error: Error) => {
  const message = error instanceof ControlRefused ? error.message : `${url} cannot be reached: ${error.message}`
  throw new OperatorError(message, { cause: error })
}
