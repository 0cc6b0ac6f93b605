/**
 * Announcements that somebody put away, kept in this browser by their keys. Public pages and the console share it; no
 * React, so both can.
 */
const name = 'dismissed'
/** Older ones are long over. */
const most = 20

/** Inline after the bands of a public page, before they are painted. Its hash stands in the content security policy. */
export const dismissScript = `{let n='${name}',r=()=>{try{return(localStorage[n]||'').split(' ')}catch{return[]}};for(let b of document.querySelectorAll('[data-announcement]')){let k=b.dataset.announcement;if(r().includes(k))b.remove();else b.querySelector('button').onclick=()=>{try{localStorage[n]=[...r().filter(x=>x&&x!=k),k].slice(-${most}).join(' ')}catch{}b.remove();document.getElementById('content').focus({preventScroll:true})}}}`

/** Where storage is refused, what was put away stays so until the page is left. */
let kept = ''

/** One text, so that it can be compared. */
export function readDismissed(): string {
  try {
    return localStorage.getItem(name) ?? ''
  } catch {
    return kept
  }
}

export const isDismissed = (all: string, key: string): boolean => all.split(' ').includes(key)

export function dismiss(key: string): void {
  const keys = readDismissed().split(' ')
  kept = [...keys.filter(each => each !== '' && each !== key), key].slice(-most).join(' ')
  try {
    localStorage.setItem(name, kept)
  } catch {
    // Storage is refused.
  }
  window.dispatchEvent(new Event('dismissedchange'))
}

/** Calls back after a change here or in another tab; returns the way to stop. */
export function onDismissed(changed: () => void): () => void {
  const fromOtherTab = (event: StorageEvent) => {
    if (event.key === name) changed()
  }
  window.addEventListener('dismissedchange', changed)
  window.addEventListener('storage', fromOtherTab)
  return () => {
    window.removeEventListener('dismissedchange', changed)
    window.removeEventListener('storage', fromOtherTab)
  }
}
