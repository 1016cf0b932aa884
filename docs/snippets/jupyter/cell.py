from IPython.display import IFrame

IFrame("queryscope/?embed#trace=../run.json.gz&view=gantt", width="100%", height=420)
