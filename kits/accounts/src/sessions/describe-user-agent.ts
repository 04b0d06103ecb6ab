/** Browsers by the mark in their User-Agent; the first match counts, because most of them also name Chrome and Safari. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Describes a User-Agent as people do, such as `Firefox on Linux`; the product's name for a program, null for an empty one. */
export function describeUserAgent(userAgent: string): string | null {
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [find(browsers), find(systems)]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const product = /^[\w.-]{1,40}/.exec(userAgent)?.[0]
  return product === undefined || product === 'Mozilla' ? (system ?? null) : product
}
