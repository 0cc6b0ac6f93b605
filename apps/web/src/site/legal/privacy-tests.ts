/** The titles of the tests that hold what the privacy page claims, where one holds several claims or its title is long. */
export const asItIs =
  'neither the database nor the log holds a password, a link, a key, a token or the server’s secret as it is'
export const sessionList = 'the list: this one first, then by last activity, with what each signed in from'
export const personGone =
  'nothing of the person is left anywhere in the database, and their key, sessions and password are worth nothing'
export const volumeEnds =
  'unpaid it is read-only while it runs, can’t be attached, is paid from then on, and goes after seven days'
export const volumesGo =
  'they are destroyed seven days later, their months return at once, and no row has their names'
export const diskGone = 'machines > destroy leaves nothing of a running or stopped machine, and is done again'
export const subscription =
  'a subscription > begins with the link in the mail and ends with the link in any later one; the address is erased'
export const storage = 'the browser’s own storage > holds nothing that the privacy page does not name'
export const noCookies = 'a browser > is never given a cookie'
export const nothingElsewhere = 'the page %s > loads nothing from elsewhere'
export const safetyChange =
  'what changes the safety of an account > is a password, by whom, from where and through which call'
export const safetyErased =
  'an entry > outlives its account without values, addresses and reasons, and keeps the names of what changed'
export const keyAct = 'showing it again answers the key and is recorded, with the address that asked'
