/** A field people do not see and robots fill in; what is in it gives them away. */
export function Honeypot() {
  return (
    <div className="honeypot" aria-hidden>
      <label>
        Website
        <input type="text" name="website" tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  )
}
