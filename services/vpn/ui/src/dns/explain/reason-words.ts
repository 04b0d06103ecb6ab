/** Explains a reason of the log or of an explanation in a sentence. */
export function explainedReason(reason: string): string {
  return sentences[reason] ?? ''
}

/** Label of a reason in a table. */
export function shortReason(reason: string): string {
  return words[reason] ?? reason
}

const sentences: Readonly<Record<string, string>> = {
  off: 'The filter is off or paused, for everyone or for this peer.',
  blocklist: 'No rule of yours says anything else, so the lists decide.',
  rule: 'Your own rules stand before all lists; one for a peer before one for everyone.',
  list: 'No rule of yours says anything else, so the lists decide.',
  cname: 'The name itself is harmless, but it points to one that is not.',
  special: 'Devices query this name to find out whether they may bypass the filter.',
  private_answer: 'A public name that points into the home network can be an attack (DNS rebinding).',
  local:
    'The resolver itself answers: from your local names, or because a name of the local network means nothing elsewhere. If an upstream knows it: Settings, Forwarded local zones.',
  address: 'The answer holds an address that a list blocks.',
  none: '',
}

const words: Readonly<Record<string, string>> = {
  off: 'filter off',
  rule: 'rule',
  list: 'list',
  blocklist: 'list',
  cname: 'points to a blocked name',
  special: 'filter bypass',
  private_answer: 'private answer',
  local: 'local name',
  address: 'listed address',
  none: '',
}
