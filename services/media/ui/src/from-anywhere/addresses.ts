/** Address that opens the page with the address that follows it. */
export const shortcutFor = (origin: string): string => `${origin}/?url=`

/** A bookmark that opens the page with the page it is clicked on. */
export const bookmarkletFor = (origin: string): string =>
  `javascript:void open(${JSON.stringify(shortcutFor(origin))}+encodeURIComponent(location.href))`

/** A command that downloads through this service. */
export const commandFor = (origin: string, hasTokens: boolean): string =>
  `hearth media get --server ${origin}${hasTokens ? ' --token-file ~/.hearth-token' : ''} -o . ADDRESS`
