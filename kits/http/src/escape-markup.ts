const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Writes text so that HTML and XML take it for text, also within the value of an attribute. */
export const escapeMarkup = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? '')
