import { type AnswerMembers, proxyDefaults, type ProxyMembers } from '../../sites/proxy-schema.ts'
import type { HeaderChange } from '../../sites/guard-schema.ts'
import type { SiteReading } from './site-reading.ts'
import { at, giveUp, type JsonLocation } from './json-location.ts'
import { type FileContext, readAnswer, readFiles } from './read-answers.ts'
import { readProxy } from './read-proxy.ts'

/** The final answer of a site or a path. */
export interface Target extends ProxyMembers, AnswerMembers {
  readonly kind: 'proxy' | 'redirect' | 'static' | 'respond'
  /** Headers that are changed for this target only. */
  readonly requestHeaders: readonly HeaderChange[]
  readonly responseHeaders: readonly HeaderChange[]
}

const nothing = {
  ...proxyDefaults,
  redirect: null,
  static: null,
  respond: null,
  requestHeaders: [],
  responseHeaders: [],
}

/** Reads the handler that answers. */
export function readTarget(handler: JsonLocation, files: FileContext, reading: SiteReading): Target {
  const name = at(handler, 'handler')?.value
  if (files.tried !== undefined && name !== 'file_server')
    giveUp(files.tried, 'files that are tried before something else answers')
  if (name === 'file_server') return { ...nothing, kind: 'static', static: readFiles(handler, files, reading) }
  if (name === 'reverse_proxy') {
    const { members, requestHeaders, responseHeaders } = readProxy(handler, reading)
    return { ...nothing, ...members, kind: 'proxy', requestHeaders, responseHeaders }
  }
  if (name !== 'static_response') return giveUp(handler, `the handler ${nameOf(name)}`)
  const answer = readAnswer(handler, reading)
  if (answer.kind === 'abort') return giveUp(handler, 'that connections are closed without an answer')
  return { ...nothing, ...answer }
}

/** The name of a handler as a report shows it. */
export function nameOf(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 60) : 'without a name'
}
