/** Text that can stand in XML. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** An element around what is XML already. */
export const element = (name: string, content: string): string => `<${name}>${content}</${name}>`

/** An element around a text or a number. */
export const textElement = (name: string, value: string | number | boolean): string =>
  element(name, escapeXml(String(value)))

/** A whole document. */
export const xmlDocument = (name: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`

/** The contents of all elements of a name, one below the other or not. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    (match) => match[1] ?? '',
  )
}

/** The text of the first element of a name. */
export const textOf = (xml: string, name: string): string | undefined => {
  const content = elementsOf(xml, name)[0]
  return content === undefined ? undefined : unescapeXml(content)
}

const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replaceAll(/&(#x?[0-9a-f]+|\w+);/gi, (whole, entity: string) => {
    if (entity.startsWith('#x')) return String.fromCodePoint(Number.parseInt(entity.slice(2), 16))
    if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.slice(1)))
    return names[entity] ?? whole
  })
}
