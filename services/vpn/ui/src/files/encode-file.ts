/** A file as the API takes it: its name and its bytes in base64. */
export async function encodeFile(file: File): Promise<{ name: string; content: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  // In parts: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return { name: file.name, content: btoa(text) }
}
