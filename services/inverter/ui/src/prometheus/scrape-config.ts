/** A job for prometheus.yml that scrapes this service at the address of the page. */
export function scrapeConfig(
  { protocol, host }: Pick<Location, 'protocol' | 'host'>,
  isTokenRequired: boolean,
): string {
  return [
    'scrape_configs:',
    '  - job_name: inverter',
    '    scrape_interval: 30s',
    ...(protocol === 'https:' ? ['    scheme: https'] : []),
    ...(isTokenRequired ? ['    authorization:', '      credentials_file: /etc/prometheus/inverter-token'] : []),
    '    static_configs:',
    `      - targets: ['${host}']`,
    '',
  ].join('\n')
}

/** Moves one entry of a list by a step; the list itself when it is at the end already. */
export function moveEntry(list: readonly string[], name: string, step: 1 | -1): string[] {
  const from = list.indexOf(name)
  const to = from + step
  if (from < 0 || to < 0 || to >= list.length) return [...list]
  const next = list.filter((other) => other !== name)
  next.splice(to, 0, name)
  return next
}

/** Addresses and networks out of a text, separated by commas, spaces or lines. */
export function sourcesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '')
}
