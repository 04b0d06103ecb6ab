/** Returns a page of one sentence, which Caddy answers by itself. Both are HTML. */
export const plainPage = (title: string, text: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<title>${title}</title><h1>${title}</h1><p>${text}</p></html>`
