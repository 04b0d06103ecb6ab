/**
 * Domains whose names carry data by design, so that they look like a tunnel: reputation of files, addresses and mail. Source: the
 * documentation of each service (RFC 5782 for block lists by DNS).
 */
export const knownLookups: ReadonlySet<string> = new Set([
  // Reputation of files and pages, by their hashes.
  'sophosxl.com',
  'sophosxl.net',
  'mcafee.com',
  'trellix.com',
  'e5.sk',
  'eset.com',
  'trendmicro.com',
  'bitdefender.net',
  'kaspersky-labs.com',
  'avast.com',
  'avcdn.net',
  'f-secure.com',
  'cymru.com',
  'webrootcloudav.com',
  'brightcloud.com',
  'fortiguard.net',
  'immunet.com',
  'opendns.com',
  'umbrella.com',
  'zscaler.net',
  // Reputation of mail and its senders.
  'spamhaus.org',
  'spamhaus.net',
  'barracudacentral.org',
  'senderbase.org',
  'spamcop.net',
  'surbl.org',
  'uribl.com',
  'dnswl.org',
  'mailspike.net',
  'mailshell.net',
  'rspamd.com',
  'invaluement.com',
  'abusix.zone',
  'spfbl.net',
  // Measurements of resolvers and networks, with a name for each.
  'dnsleaktest.com',
  'ipleak.net',
  'apnic.net',
  'online-metrix.net',
  'googlesyndication.com',
])
