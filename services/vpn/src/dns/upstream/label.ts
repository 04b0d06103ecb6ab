import type { Upstream } from '../process/resolver-files.ts'

/** How an upstream is shown: as it was written, but for the path of an https address, which may be somebody's own. */
export const labelOf = ({ label, protocol }: Upstream): string =>
  protocol === 'https' ? label.replace(/^(https:\/\/[^/?#]+)[/?][^#]*/i, '$1') : label
