import { isIP } from 'node:net'
import { settingKind } from '@hearth/runtime'
import { z } from 'zod'
import type { Listener } from './resolver-files.ts'
import { parseUpstream } from './upstream/upstream-text.ts'

const rule = 'must be a list of ADDRESS:PORT (IPv6 in brackets), separated by commas'

/** `DNS_LISTEN`: addresses beside those of the tunnels on which the resolver listens. */
export const listenSetting = z
  .string()
  .transform((text, context): Listener[] => {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    return parts.flatMap((part) => {
      const listener = parseListener(part)
      if (listener === undefined) context.addIssue({ code: 'custom', message: `${rule}: ${part}` })
      return listener ?? []
    })
  })
  .meta(settingKind('own form'))
  .default([])

function parseListener(text: string): Listener | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  const port = Number(digits)
  const isAddress = bracketed === undefined ? isIP(address) === 4 : isIP(address) === 6
  return isAddress && port >= 1 && port <= 65_535 ? { address, port, device: null } : undefined
}

/** `DNS_UPSTREAMS`: upstream servers, in the forms of the setting, separated by commas; undefined when it is not set. */
export const upstreamSetting = z
  .string()
  .transform((text, context): readonly string[] => {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    for (const part of parts) {
      try {
        parseUpstream(part)
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is no upstream server' })
      }
    }
    if (parts.length === 0) context.addIssue({ code: 'custom', message: 'must name an upstream server' })
    return parts
  })
  .meta(settingKind('own form'))
  .optional()
