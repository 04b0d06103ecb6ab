import type { Upstream } from '../process/resolver-files.ts'

/** Returns an upstream as it is shown: as it was written, without the path of an https address, which may hold a secret. */
export const labelOf = ({ label, protocol }: Upstream): string =>
  protocol === 'https' ? label.replace(/^(https:\/\/[^/?#]+)[/?][^#]*/i, '$1') : label
