import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import { z } from 'zod'

/** What a cookie holds, and for how long. */
export interface TimedSealOptions<Content> {
  readonly sealer: Sealer
  readonly clock: Pick<Clock, 'now'>
  /** What is sealed for another place does not open. */
  readonly place: string
  /** Milliseconds. */
  readonly maxAge: number
  readonly schema: z.ZodType<Content>
}

/** Seals values for a cookie; see `createTimedSeal`. */
export interface TimedSeal<Content> {
  seal(content: Content): string
  /** Returns what was sealed; undefined when it is missing, altered or too old. */
  open(sealed: string | undefined): Content | undefined
}

/** Creates a seal for cookies, so that no table is needed and any process of the service can finish what another began. */
export function createTimedSeal<Content>(options: TimedSealOptions<Content>): TimedSeal<Content> {
  const { sealer, clock, place, maxAge, schema } = options
  const Sealed = z.object({ content: schema, until: z.number() })
  return {
    seal: (content) => sealer.seal(JSON.stringify({ content, until: clock.now() + maxAge }), place),
    open(sealed) {
      const found = Sealed.safeParse(openSealed(sealer, sealed, place)).data
      return found !== undefined && found.until > clock.now() ? found.content : undefined
    },
  }
}

function openSealed(sealer: Sealer, sealed: string | undefined, place: string): unknown {
  try {
    return sealed === undefined ? undefined : JSON.parse(sealer.open(sealed, place))
  } catch {
    return undefined
  }
}
