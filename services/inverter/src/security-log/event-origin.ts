import type { NewSecurityEvent, RequestOrigin } from '@hearth/accounts'
import type { Caller } from '../access.ts'

/** Returns who did something, from where and how, for an event of the security log. */
export function eventOrigin(
  { name, via }: Caller,
  from: RequestOrigin,
): Pick<NewSecurityEvent, 'by' | 'from' | 'method'> {
  return via.kind === 'operator' ? { method: 'command_line' } : { by: { userId: name, username: name }, from }
}
