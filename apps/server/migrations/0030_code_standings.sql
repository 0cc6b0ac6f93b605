-- Who types a phone's code: nobody chooses the key that their own wrong tries are counted under.

-- At home is the number's proved user alone: anybody may ask to have a number, and places of an account that nobody
-- proved are those of whoever opened it. Whoever asked for the message is counted by their network, since they name a
-- device as they like; by the device where the network is not known.
create or replace function auth_code_key(p_key text, p_phone text, p_sending text, p_places text[])
returns table (key text, standing text) language sql stable as $$
  with at_home as (
    select place from unnest(p_places) place where exists (
      select from auth_place p join auth_user u on u.id = p.user_id
      where p.place = place and p.seen_at > now() - interval '90 days'
        and u.phone = p_phone and u.phone_confirmed_at is not null and u.is_proved)),
  asking as (
    select max(place) as place from auth_sending s, unnest(s.asked_by) place
    where s.key = p_sending and s.asked_by && p_places),
  standings as (
    select 1 as rank, place, 'home' as standing from at_home
    union all select 2, place, 'asker' from asking where place is not null
    union all select 3, null, 'stranger')
  select p_key || coalesce('@' || place, ''), standing from standings order by rank, place limit 1
$$;
