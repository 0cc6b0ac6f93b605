/**
 * What a visitor does to a part of the page before the part's code has come: an inline script remembers it from the
 * first byte on, and it is done again once the part has started. A form that is sent too early would be an address with
 * everything in it that was typed.
 */
type Control = HTMLInputElement | HTMLButtonElement | HTMLFormElement
type Act = readonly [type: string, target: Control, part: Element, value: unknown, checked: unknown]

declare global {
  interface Window {
    early?: Act[]
  }
}

/** In the head of every public page. Its hash stands in the content security policy. */
export const earlyScript = `{let a=window.early=[],w=':is([data-island],[commandfor]):not([data-ready])';for(let t of['click','submit','input','change'])addEventListener(t,e=>{let x=e.target;if(t=='click')x=x.closest('button[type=button]');let p=x?.closest(w);if(!p)return;if(t=='submit')e.preventDefault();a.push([t,x,p,x.value,x.checked])},true)}`

const actsOn = (part: Element): Act[] => (window.early ?? []).filter(act => act[2] === part)

export const hasEarly = (part: Element): boolean => actsOn(part).length > 0

/** Called when `part` has its listeners. Of several acts of one kind on one control the last counts. */
export function doEarly(part: Element): void {
  part.setAttribute('data-ready', '')
  const acts = actsOn(part)
  for (const [n, [type, target, , value, checked]] of acts.entries()) {
    if (acts.slice(n + 1).some(later => later[0] === type && later[1] === target)) continue
    if (type === 'click') target.click()
    else if (type === 'submit') (target as HTMLFormElement).requestSubmit()
    else {
      // Its start may have set it from the address. A file stays chosen by itself.
      if (target.type !== 'file') Object.assign(target, { value, checked })
      target.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }
}
