-- File operations by language.
select language, cast(sum(created + edited) as bigint) as operations
from file_changes
where language <> ''
group by language
