/** JavaScript of the portal's pages: the ceremonies of passkeys. The forms of a page say what is sent with them. */
export const passkeyScript = `
const fields = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === 'string'))
const send = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
  const result = await answer.json()
  if (!answer.ok) throw new Error(result.detail)
  return result
}
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (window.PublicKeyCredential === undefined || PublicKeyCredential.parseRequestOptionsFromJSON === undefined) continue
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const note = document.getElementById('note')
    note.textContent = ''
    try {
      const given = fields(form)
      const isNew = form.dataset.passkey === 'new'
      const { options } = await send(isNew ? '/passkeys/start' : '/passkey/start', given)
      const credential = isNew
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
      const { location: next } = await send(isNew ? '/passkeys/finish' : '/passkey/finish', { ...given, credential: credential.toJSON() })
      location.assign(next)
    } catch (error) {
      note.textContent = error.name === 'NotAllowedError' ? 'No passkey was used.' : error.message
    }
  })
}
`
