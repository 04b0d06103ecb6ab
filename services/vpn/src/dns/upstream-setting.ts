import { z } from 'zod'
import { settingKind } from '@hearth/runtime'
import { parseUpstream } from './upstream/upstream-text.ts'

/** `DNS_UPSTREAMS`: servers to ask, in the forms of the setting, separated by commas; undefined when it is not set. */
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
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is no server to ask' })
      }
    }
    if (parts.length === 0) context.addIssue({ code: 'custom', message: 'must name a server to ask' })
    return parts
  })
  .meta(settingKind('own form'))
  .optional()
